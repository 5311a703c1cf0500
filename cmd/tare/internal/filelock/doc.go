// Package filelock locks whole files between processes: flock on Unix,
// LockFileEx on Windows. The kernel frees a lock when the last process that
// has the file open ends, however it ends.
package filelock
