// Package instrument counts work instead of time: instructions per operation
// under callgrind, and profiles.
// Work depends less on the state of the machine than time. docs/counts.md
// describes when to trust which number.
//
// An instruction count takes four steps. overlay.Counting returns the files of
// a counting build (go test -c -tags valgrind -overlay …).
// [Counter.Instructions] runs the binary under valgrind at two iteration counts
// until two slopes agree. parseCallgrind reads its file. [TopChanges] lists the
// functions that cause the difference.
//
// [CollectProfiles] and [MergeProfiles] do the same for profiles.
package instrument
