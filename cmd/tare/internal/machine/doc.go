// Package machine reads the facts and the load of a machine, checks whether it
// is fit to measure, and separates measuring processes.
//
//	Facts        hardware and system (recorded with every study)
//	GoSettings   the go command's and the runtime's settings
//	Snapshot     counters before and after a block; Since names the disturbances
//	Observe      facts, counters and load over a short window
//	Spin         fixed work on each CPU: noise profile, speed, differences
//	Diagnose     all of these, and the findings of the checks
//	Lock         one measuring process at a time, for all users
//
// All reading of /proc and /sys goes through an [fs.FS] whose root is the
// machine's root directory ([os.DirFS]("/"), or a composed tree in tests). A
// value that a system does not show is zero, which means "not known here", and
// no check reports on it.
package machine
