package explain

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/cmd/tare/internal/instrument"
)

// allocationSite is a function that allocates, in one of two variants or in both.
type allocationSite struct {
	// Function is the innermost allocating function outside the standard
	// library. File and Line are one of the places in it.
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	// The bytes and objects per operation.
	OldBytes   float64 `json:"old_bytes_per_op"`
	NewBytes   float64 `json:"new_bytes_per_op"`
	OldObjects float64 `json:"old_objects_per_op"`
	NewObjects float64 `json:"new_objects_per_op"`
}

// allocations are the allocations of functions per operation, by function.
type allocations map[string]allocated

type allocated struct {
	file           string
	line           int
	bytes, objects float64
}

// Total is the sum over all functions, in bytes and objects per operation.
func (a allocations) Total() (bytes, objects float64) {
	for _, s := range a {
		bytes, objects = bytes+s.bytes, objects+s.objects
	}
	return bytes, objects
}

// allocationsPerOp reads two memory profiles of one benchmark, of few
// operations and of more, which count every allocation (-memprofilerate 1). It
// divides the difference of the allocations by the difference of the
// operations. The allocations of the setup are equal in both and cancel.
func allocationsPerOp(few, many *profile.Profile, more float64) (allocations, error) {
	all := make(allocations)
	if !(more > 0) {
		return nil, fmt.Errorf("count allocations: %v operations more", more)
	}
	add := func(p *profile.Profile, sign float64) error {
		objects, bytes := -1, -1
		for i, t := range p.SampleType {
			switch t.Type {
			case "alloc_objects":
				objects = i
			case "alloc_space":
				bytes = i
			}
		}
		if objects < 0 || bytes < 0 {
			return fmt.Errorf("count allocations: not a memory profile of a benchmark")
		}
		for _, s := range p.Sample {
			function, file, line := caller(s)
			one := all[function]
			one.bytes += sign * float64(s.Value[bytes]) / more
			one.objects += sign * float64(s.Value[objects]) / more
			if sign > 0 {
				one.file, one.line = file, line
			}
			all[function] = one
		}
		return nil
	}
	if err := errors.Join(add(few, -1), add(many, 1)); err != nil {
		return nil, err
	}
	// The runtime itself adds less than one object in a hundred operations.
	maps.DeleteFunc(all, func(function string, s allocated) bool {
		return s.objects < 0.01 || isStandard(function) || function == "main.main"
	})
	return all, nil
}

// compareAllocations compares the allocations of two variants by site, the
// greatest change in bytes first. It matches sites by function, so that moved
// code is not a change.
func compareAllocations(old, new allocations) []allocationSite {
	var all []allocationSite
	for _, function := range slices.Sorted(maps.Keys(new)) {
		a, b := old[function], new[function]
		all = append(all, allocationSite{function, b.file, b.line, a.bytes, b.bytes, a.objects, b.objects})
	}
	for _, function := range slices.Sorted(maps.Keys(old)) {
		if _, both := new[function]; !both {
			a := old[function]
			all = append(all, allocationSite{function, a.file, a.line, a.bytes, 0, a.objects, 0})
		}
	}
	slices.SortStableFunc(all, func(a, b allocationSite) int {
		return cmp.Compare(abs(b.NewBytes-b.OldBytes), abs(a.NewBytes-a.OldBytes))
	})
	return all
}

// Changed reports whether the site allocates more or less by at least 1%.
func (s allocationSite) Changed() bool {
	return abs(s.NewBytes-s.OldBytes) > 0.01*max(s.NewBytes, s.OldBytes) || abs(s.NewObjects-s.OldObjects) > 0.01*max(s.NewObjects, s.OldObjects)
}

func abs(x float64) float64 { return max(x, -x) }

// caller is the innermost frame outside the standard library.
func caller(s *profile.Sample) (function, file string, line int) {
	for frame := range instrument.Frames(s) {
		if function == "" || isStandard(function) {
			function, file, line = frame.Function.Name, frame.Function.Filename, int(frame.Line)
		}
	}
	return function, file, line
}
