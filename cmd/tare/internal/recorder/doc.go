// Package recorder measures commits for a history and decides which of its
// candidates are changes.
//
//	line of commits → compare HEAD with its parent and with the anchor
//	  → edges → candidates → compare k-1 with k → decisions
//
// Every comparison is a session, its result an entry of the store before the
// next one begins.
package recorder
