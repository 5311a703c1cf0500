// Package lookup finds a name in a sorted table in two ways, chosen by a build
// tag, so that they can be compared as two variants of one benchmark:
//
//	tare compare .,tags=scan .,tags=search ./samples/lookup
//
// With the tag scan, or none, [Find] looks at one name after the other; with
// the tag search it halves the table. Which is faster depends on the size of
// the table, so one size is half of the answer; what [Join] does is the same
// in both. The pictures of docs/report.md show this comparison.
package lookup

import "strings"

// Join writes the table on one line.
func Join(names []string) string { return strings.Join(names, ", ") }
