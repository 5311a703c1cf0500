// Package build makes test binaries from a variant as the user typed it.
//
// [Parse] reads REV[,key=value…] into a [Spec]. [Builder.Open] prepares the
// source (the working tree in place, or the files of the revision in a
// temporary directory), finds the toolchain and its GOROOT, and generates the
// overlay of package testing. [Variant.Packages] lists the packages of the
// user's patterns. [Variant.Build] compiles a package once and links it once
// per function order. [Builder.Close] removes all temporary files. [Keep] saves
// a binary so that bin=FILE can run it later.
//
// The package only reads the user's checkout, index, stash, branches, go.mod
// and module cache. The next Open on the same temporary directory clears the
// files of killed processes.
package build
