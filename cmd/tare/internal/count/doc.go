// Package count counts work instead of time: instructions per operation under
// callgrind, hardware and software events by perf_event_open, and profiles.
// Work does not depend on the weather of a shared machine; docs/counts.md says
// when to trust which number.
//
// The pipeline of an instruction count: overlay.Counting gives the files of
// a counting build (go test -c -tags valgrind -overlay …), [Instructions] runs
// the binary under valgrind at two iteration counts until two slopes agree,
// [ParseCallgrind] reads what callgrind wrote, [Judge] compares two counts and
// [TopChanges] names the functions that make the difference.
//
// [Open] counts events of a process; [CollectProfiles], [MergeProfiles] and
// [DiffProfiles] do the same for profiles.
package count
