// Package right has benchmarks that look like those of package wrong, and are
// correct: nothing may be reported here.
package right
