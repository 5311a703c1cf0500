package session

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/internal/finding"
)

// profiled lists the packages that only some variants build with a
// default.pgo.
func profiled(pkgs [][]build.Package, labels []string) (found []finding.Finding) {
	with := make(map[string][]int) // variants by package
	sides := make(map[string]int)
	var order []string
	for v, list := range pkgs {
		for _, p := range list {
			if !p.Benchmarks {
				continue
			}
			if sides[p.Path]++; sides[p.Path] == 1 {
				order = append(order, p.Path)
			}
			if p.Profile != "" {
				with[p.Path] = append(with[p.Path], v)
			}
		}
	}
	for _, path := range order {
		if n := len(with[path]); n > 0 && n < sides[path] {
			found = append(found, kind.PGOOneSide.Of(path, finding.Text("variant", labels[with[path][0]])))
		}
	}
	return found
}

// identicalVariants reports the variants that have the same test binaries and environment
// as the first, though their specifications differ. To compare them shows only noise.
// Built is true if packages without a binary will not get one.
func (v *sides) identicalVariants(built bool) (found []finding.Finding, err error) {
	for i := 1; i < len(v.list); i++ {
		old, new := v.list[0], v.list[i]
		if old == new || old.Spec.Label == new.Spec.Label || old.runsAsIs() {
			continue // on purpose
		}
		pkgs, same := 0, true
		for _, pkg := range v.packages {
			a, inOld := old.base(pkg)
			b, inNew := new.base(pkg)
			if !inOld && !inNew {
				if !built {
					return nil, nil
				}
				continue
			}
			pkgs++
			if same = inOld && inNew && slices.Equal(a.Env, b.Env); !same {
				break
			}
			if same, err = sameFile(a.Path, b.Path); err != nil || !same {
				break
			}
		}
		if err != nil {
			return nil, err
		}
		if pkgs > 0 && same {
			found = append(found, kind.SameBinaries.Of(new.Spec.Label, finding.Text("variant", old.Spec.Label)))
		}
	}
	return found, nil
}

// addIdenticalVariants records the findings of identicalVariants and notifies the
// user at once.
func (s *Session) addIdenticalVariants(built bool) error {
	found, err := s.sides.identicalVariants(built)
	if err != nil {
		return err
	}
	for _, f := range found {
		if !s.known(f) {
			s.watcher.Notice(f.String())
		}
		if err := s.addFinding(f); err != nil {
			return err
		}
	}
	return nil
}

func sameFile(a, b string) (bool, error) {
	var sums [2][]byte
	for i, path := range []string{a, b} {
		f, err := os.Open(path)
		if err != nil {
			return false, fmt.Errorf("compare test binaries: %w", err)
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return false, fmt.Errorf("compare test binaries: %w", err)
		}
		sums[i] = h.Sum(nil)
	}
	return bytes.Equal(sums[0], sums[1]), nil
}
