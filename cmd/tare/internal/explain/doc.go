// Package explain names causes of a difference in time between two variants of
// a benchmark.
//
// The pipeline: [Code] finds causes in the functions whose machine code
// differs: calls that are no longer inlined, allocations, bounds checks, locks
// and so on that came or went; [ReadDecisions] and [CompareDecisions] add what
// the compiler says of them; [CompareAllocations] compares two memory profiles
// by site; [Weigh] adds where the profiles say that the time goes; [Rank] orders
// causes by that and by how specific they are.
//
// A cause of this package is a suspicion. Only another measurement, with the
// cause taken away, proves one.
package explain
