// Package hostlock keeps measuring processes of one machine apart: one at a
// time, for all users.
//
// [Locker.Lock] takes an exclusive lock on a file that all users share. The
// kernel frees it when the holder and the command that it started under the
// lock ([Held.Start]) have ended, however they end. Such a command does not
// wait for its own parent.
package hostlock
