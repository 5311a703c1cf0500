// Package right2 has benchmarks that look like those of package wrong2, and are
// correct: nothing may be reported here.
package right2
