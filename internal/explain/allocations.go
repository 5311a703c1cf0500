package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/pprof/profile"
)

// Site is a function that allocates, in one of two variants or in both.
type Site struct {
	// Function is the innermost one outside of the standard library that the
	// allocations come from, File and Line one of the places in it.
	Function string
	File     string
	Line     int
	// The bytes and objects per operation.
	OldBytes, NewBytes     float64
	OldObjects, NewObjects float64
}

// CompareAllocations compares two memory profiles by site, the greatest change
// in bytes first. Both were taken with every allocation counted
// (-memprofilerate 1); oldOps and newOps are the operations that they cover.
// Sites are matched by function, so that code that moved is no news; what setup
// allocates is part of both.
func CompareAllocations(old, new *profile.Profile, oldOps, newOps float64) ([]Site, error) {
	sites := make(map[string]*Site)
	add := func(p *profile.Profile, ops float64, put func(*Site, float64, float64)) error {
		objects, bytes := -1, -1
		for i, t := range p.SampleType {
			switch t.Type {
			case "alloc_objects":
				objects = i
			case "alloc_space":
				bytes = i
			}
		}
		if objects < 0 || bytes < 0 || ops <= 0 {
			return fmt.Errorf("compare allocations: not a memory profile of a benchmark")
		}
		for _, s := range p.Sample {
			function, file, line := caller(s)
			site := sites[function]
			if site == nil {
				site = &Site{Function: function}
				sites[function] = site
			}
			site.File, site.Line = file, line
			put(site, float64(s.Value[bytes])/ops, float64(s.Value[objects])/ops)
		}
		return nil
	}
	if err := add(old, oldOps, func(s *Site, b, o float64) { s.OldBytes += b; s.OldObjects += o }); err != nil {
		return nil, err
	}
	if err := add(new, newOps, func(s *Site, b, o float64) { s.NewBytes += b; s.NewObjects += o }); err != nil {
		return nil, err
	}
	var all []Site
	for _, s := range sites {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Site) int {
		return cmp.Or(-cmp.Compare(abs(a.NewBytes-a.OldBytes), abs(b.NewBytes-b.OldBytes)), cmp.Compare(a.Function, b.Function))
	})
	return all, nil
}

func abs(x float64) float64 { return max(x, -x) }

// caller is the innermost frame that is not of the standard library.
func caller(s *profile.Sample) (function, file string, line int) {
	for _, l := range s.Location {
		for _, frame := range l.Line {
			if frame.Function == nil {
				continue
			}
			if function == "" || Standard(function) {
				function, file, line = frame.Function.Name, frame.Function.Filename, int(frame.Line)
			}
		}
	}
	return function, file, line
}

// Shares are the parts of a CPU profile that are spent in each function and in
// what it calls: 0 to 1.
func Shares(p *profile.Profile) map[string]float64 {
	shares := make(map[string]float64)
	if len(p.SampleType) == 0 {
		return shares
	}
	value := len(p.SampleType) - 1 // time, after the count
	var total float64
	for _, s := range p.Sample {
		total += float64(s.Value[value])
		seen := make(map[string]bool)
		for _, l := range s.Location {
			for _, frame := range l.Line {
				if frame.Function != nil && !seen[frame.Function.Name] {
					seen[frame.Function.Name] = true
					shares[frame.Function.Name] += float64(s.Value[value])
				}
			}
		}
	}
	for name := range shares {
		shares[name] /= total
	}
	return shares
}
