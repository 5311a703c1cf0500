// Package machine reads facts, settings and counters of a machine.
//
//	Facts       what the machine is (recorded with every study)
//	GoSettings  the go command's and the runtime's settings
//	Snapshot    counters before and after a block; Since names what disturbed it
//
// All reading of /proc and /sys goes through an [fs.FS] whose root is the
// machine's root directory ([os.DirFS]("/"), or a composed tree in tests). On
// systems without /proc and /sys the facts stay empty, which means "not known
// here".
package machine
