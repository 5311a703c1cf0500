// Package lookup finds a name in a sorted table in two ways, chosen by a build
// tag, so that they can be compared as two variants of one benchmark:
//
//	tare compare .,tags=scan .,tags=search ./samples/lookup
//
// With the tag scan, or none, [Find] checks one name after the other. With the
// tag search it halves the table. The size of the table decides which is
// faster, so one size is half of the answer. [Join] is the same in both
// variants. The pictures of docs/report.md show this comparison.
package lookup

import "strings"

// Join writes the table on one line.
func Join(names []string) string { return strings.Join(names, ", ") }
