package lint

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestSpeed compares the time to lint the standard library, tests included,
// with that of go vet, in turns. Both start from a warm build cache; go vet is
// kept from its cache of results by a flag that changes nothing else.
func TestSpeed(t *testing.T) {
	if os.Getenv("TARE_LONG") == "" {
		t.Skip("lints the standard library several times: set TARE_LONG=1")
	}
	src := filepath.Join(goroot(t), "src")
	vet := func(turn int) time.Duration {
		cmd := exec.Command("go", "vet", fmt.Sprintf("-printf.funcs=tareTurn%dAt%d", turn, time.Now().UnixNano()), "std")
		cmd.Dir = src
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("go vet std: %v\n%.300s", err, out) // it has findings of its own
		}
		return time.Since(start)
	}
	lint := func() time.Duration {
		start := time.Now()
		pkgs, _, err := load(context.Background(), Options{Dir: src}, "std")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(pkgs, Checks()); err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	lint() // compile what is not in the build cache
	const turns = 3
	var ratios []float64
	for turn := range turns {
		v, l := vet(turn), lint()
		ratios = append(ratios, l.Seconds()/v.Seconds())
		t.Logf("go vet std %.1f s, tare lint std %.1f s: ratio %.2f", v.Seconds(), l.Seconds(), ratios[turn])
	}
	slices.Sort(ratios)
	if ratio := ratios[turns/2]; ratio > 1.3 {
		t.Errorf("linting takes %.2f times as long as go vet, limit 1.3", ratio)
	}
}
