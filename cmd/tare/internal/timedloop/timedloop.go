// Package timedloop describes the timed loops of benchmarks as they are
// written in the source: for i := 0; i < b.N; i++, for range b.N, for
// b.Loop(), for pb.Next(). Package lint finds them, package internal/prove
// looks for them in the machine code.
package timedloop

import "slices"

// Loop is one timed loop. Lines and columns count from 1, columns in bytes.
type Loop struct {
	// Package is the import path as the symbols of a binary have it.
	Package string
	// Func is the declared function around the loop.
	Func string
	// File is the path of the file, as the compiler got it.
	File string
	// Line is that of the word for, Last that of the closing brace, Body that
	// of the first statement of the body; 0 where the body is empty. Where Body
	// is Line, the source has no line of the body alone.
	Line, Body, Last int
	// Calls are the calls in the body of functions that are known by name.
	Calls []Call
}

// Call is one call in the body of a timed loop.
type Call struct {
	// Name is the last word of what is called: Sqrt of math.Sqrt.
	Name string
	// Package is the last word of its import path: math, bits.
	Package string
	// Line and Last are where the call begins and ends, Column is where it
	// begins in its line.
	Line, Column, Last int
	// Dynamic reports whether what is called is known only while running: a
	// function value, a method of an interface.
	Dynamic bool
	// Unused reports whether the result goes nowhere.
	Unused bool
	// Constant reports whether all arguments are constant.
	Constant bool
}

// Set holds the timed loops of a package.
type Set struct {
	Loops []Loop
	// Helpers are, by function, the functions that it hands its *testing.B to.
	Helpers map[string][]string
}

// Of returns the loops of a function and of its closures; if it has none, those
// of the functions that it hands its *testing.B to, directly or through others.
func (s Set) Of(function string) []Loop {
	seen := []string{function}
	for queue := seen; len(queue) > 0; {
		var list []Loop
		for _, l := range s.Loops {
			if slices.Contains(queue, l.Func) {
				list = append(list, l)
			}
		}
		if len(list) > 0 {
			return list
		}
		var next []string
		for _, f := range queue {
			for _, h := range s.Helpers[f] {
				if !slices.Contains(seen, h) {
					seen, next = append(seen, h), append(next, h)
				}
			}
		}
		queue = next
	}
	return nil
}
