// Package build turns what the user typed for one side of a comparison into
// test binaries.
//
// The pipeline: [Parse] reads REV[,key=value…] into a [Spec];
// [Builder.Open] brings the source (the working tree in place, or a git
// worktree of the revision in a temporary folder), finds the toolchain and its
// GOROOT, and asks for the overlay of package testing; [Variant.Packages]
// lists what the user's patterns name; [Variant.Build] compiles a package once
// and links it once per layout; [Builder.Close] leaves nothing behind. [Keep]
// puts a binary aside so that bin=FILE runs it a month later.
//
// The user's checkout, index, stash, branches, go.mod and module cache are
// only read. What a killed process left is cleared by the next Open on the
// same temporary folder.
package build
