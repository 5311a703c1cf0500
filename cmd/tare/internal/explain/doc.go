// Package explain names causes of a difference in time between two variants of a
// benchmark.
//
// [codeCauses] finds causes in the functions whose machine code differs: calls that
// are no longer inlined, and new or removed allocations, bounds checks and
// locks. [readDecisions] and [compareDecisions] add the compiler's reasons.
// [compareAllocations] compares two memory profiles by site. [weigh] adds the
// time of each cause from the profiles. [rank] orders causes by that time and
// by how specific they are.
//
// A cause of this package is a suspicion. Package bisect measures the part of each
// hunk of a change.
package explain
