// Package production reads CPU profiles of programs in production, to weigh
// functions by their time there.
//
// A profile is data of unknown origin: it is bounded in size, and what cannot be
// read is an error with a reason, never a wrong weight.
package production

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/objcode"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Profile is the CPU time of a program by its functions, which have the names of
// the source: see [objcode.Source]. Package main is "main".
type Profile struct {
	// Seconds is the CPU time.
	Seconds float64
	stacks  []stack
	total   float64
}

type stack struct {
	functions []string
	time      float64
}

// Read reads a CPU profile in the format of pprof.
func Read(file string) (*Profile, error) {
	p, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("read profile %s: %w", file, err)
	}
	return p, nil
}

func read(name string) (*Profile, error) {
	f, err := file.Named(name)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	raw, err := instrument.ReadProfile(f)
	if err != nil {
		return nil, err
	}
	return newProfile(raw)
}

func newProfile(raw *profile.Profile) (*Profile, error) {
	value := -1
	var types []string
	for i, t := range raw.SampleType {
		types = append(types, t.Type)
		if t.Type == "cpu" || t.Type == "samples" && value < 0 {
			value = i
		}
	}
	if value < 0 {
		return nil, fmt.Errorf("it is no CPU profile: it has %s", strings.Join(types, ", "))
	}
	p := new(Profile)
	for _, s := range raw.Sample {
		one := stack{time: float64(s.Value[value])}
		for frame := range instrument.Frames(s) {
			one.functions = append(one.functions, source(frame.Function.Name))
		}
		if one.time > 0 {
			p.stacks = append(p.stacks, one)
			p.total += one.time
		}
	}
	if p.total == 0 {
		return nil, errors.New("it has no samples")
	}
	if raw.SampleType[value].Unit == "nanoseconds" {
		p.Seconds = p.total / 1e9
	}
	return p, nil
}

// source is the name in the source, without the path of a vendor directory.
func source(symbol string) string {
	if _, rest, ok := strings.Cut(symbol, "/vendor/"); ok {
		symbol = rest
	}
	return objcode.Source(symbol)
}

// Weigh weighs functions.
func (p *Profile) Weigh(is func(function string) bool) map[string]result.Weight {
	all := make(map[string]result.Weight)
	for _, s := range p.stacks {
		var seen []string
		for _, name := range s.functions {
			if !is(name) || slices.Contains(seen, name) {
				continue
			}
			w := all[name]
			w.Total += s.time / p.total
			if len(seen) == 0 {
				w.Own += s.time / p.total
			}
			all[name] = w
			seen = append(seen, name)
		}
	}
	return all
}

// Matched is the share of the time in stacks with a known function, among stacks
// that are not all of the standard library, and the number of functions outside it
// that are not known.
func (p *Profile) Matched(known, standard func(function string) bool) (share float64, unknown int) {
	var of, matched float64
	left := make(map[string]bool)
	for _, s := range p.stacks {
		own, found := false, false
		for _, name := range s.functions {
			if standard(name) {
				continue
			}
			own = true
			if known(name) {
				found = true
			} else {
				left[name] = true
			}
		}
		if own {
			of += s.time
		}
		if found {
			matched += s.time
		}
	}
	if of == 0 {
		return 0, len(left)
	}
	return matched / of, len(left)
}

// Near lists the functions that call a function, or that it calls: the nearest
// first, and of those as near the ones with most time.
func (p *Profile) Near(function string) []string {
	type near struct {
		distance int
		time     float64
	}
	all := make(map[string]near)
	for _, s := range p.stacks {
		at := slices.Index(s.functions, function)
		if at < 0 {
			continue
		}
		for i, name := range s.functions {
			d := max(i-at, at-i)
			switch old, ok := all[name]; {
			case name == function:
			case !ok || d < old.distance:
				all[name] = near{d, s.time}
			case d == old.distance:
				all[name] = near{d, old.time + s.time}
			}
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(all[a].distance, all[b].distance), cmp.Compare(all[b].time, all[a].time), cmp.Compare(a, b))
	})
}

// Default finds the profile that a repository has for the compiler: a file
// default.pgo beside a main package. It is empty if there is none.
func Default(root string) (string, error) {
	switch all := file.Below(root, "default.pgo"); len(all) {
	case 0:
		return "", nil
	case 1:
		return all[0], nil
	default:
		return "", fmt.Errorf("find profile: %d files default.pgo: name one with -profile", len(all))
	}
}
