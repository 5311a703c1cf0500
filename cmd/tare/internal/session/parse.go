package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/unit"
)

// ParseProcs reads a list of values of GOMAXPROCS, "1,2,4". With an empty list,
// the runtime or a variant's env=GOMAXPROCS=n decides.
func ParseProcs(list string) (procs []int, err error) {
	if list == "" {
		return nil, nil
	}
	for _, f := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a list such as 1,2,4", list)
		}
		if !slices.Contains(procs, n) {
			procs = append(procs, n)
		}
	}
	return procs, nil
}

// ParseBenchtime reads the length of a block, "1s", or the iterations of a
// slice, "100x". With an empty text, the study chooses both.
func ParseBenchtime(text string) (block time.Duration, iterations int64, err error) {
	n, isCount := strings.CutSuffix(text, "x")
	switch {
	case text == "":
	case isCount:
		if iterations, err = strconv.ParseInt(n, 10, 64); err != nil || iterations < 1 {
			return 0, 0, fmt.Errorf("%q is not a count such as 100x", text)
		}
	default:
		if block, err = time.ParseDuration(text); err != nil || block <= 0 {
			return 0, 0, fmt.Errorf("%q is neither a duration such as 1s nor a count such as 100x", text)
		}
	}
	return block, iterations, nil
}

// ParseAlpha reads an error rate.
func ParseAlpha(text string) (float64, error) {
	alpha, err := unit.ParsePercent(text)
	if err != nil || alpha <= 0 || alpha >= 0.5 {
		return 0, fmt.Errorf("%q is not a rate between 0 and 0.5, such as 0.05 or 5%%", text)
	}
	return alpha, nil
}

// ParseDelta reads the largest change that counts as the same.
func ParseDelta(text string) (float64, error) {
	delta, err := unit.ParsePercent(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a share such as 2%%", text)
	}
	return delta, nil
}

// ParseBudget reads the most measuring time for one benchmark.
func ParseBudget(text string) (time.Duration, error) {
	budget, err := time.ParseDuration(text)
	if err != nil || budget <= 0 {
		return 0, fmt.Errorf("%q is not a duration such as 10s", text)
	}
	return budget, nil
}

// PackagesOf returns the typed package patterns, or the package of the working
// directory.
func PackagesOf(patterns []string) []string {
	if len(patterns) == 0 {
		return []string{"."}
	}
	return patterns
}

// ParsePackages is PackagesOf, with an error if a pattern is a file.
func ParsePackages(patterns []string) ([]string, error) {
	for _, p := range patterns {
		if strings.HasSuffix(p, ".go") {
			return nil, fmt.Errorf("%s is a file: name the directory of its package, as in ./encoding", p)
		}
	}
	return PackagesOf(patterns), nil
}
