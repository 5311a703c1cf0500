package history

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

const schema = 1

// Commit names one commit of a comparison.
type Commit struct {
	// Hash is the full hash. It is empty for a working tree with changes, which
	// has no level.
	Hash string `json:"hash"`
	// Time is the time of the commit, Subject the first line of its message.
	Time    time.Time `json:"time,omitzero"`
	Subject string    `json:"subject,omitempty"`
	// Variant is the difference from a plain build, as in "tags=x".
	Variant string `json:"variant,omitempty"`
}

// Study is one comparison.
type Study struct {
	Created time.Time `json:"created"`
	// Method is the version of the method of measurement.
	Method int `json:"method"`
	// Machine identifies the machine: CPU, cores, kernel and a hash.
	Machine string `json:"machine"`
	// Measurement identifies the measurement. Of several studies that continue
	// one measurement, the last counts. An empty one is a separate measurement.
	Measurement string `json:"measurement,omitempty"`
	Old         Commit `json:"old"`
	New         Commit `json:"new"`
	Rows        []Row  `json:"rows"`
}

// measured identifies the measurement of a study. It is zero if unknown.
type measured struct{ measurement, old, new, variant string }

func (s Study) measured() measured {
	if s.Measurement == "" {
		return measured{}
	}
	return measured{s.Measurement, s.Old.Hash + "," + s.Old.Variant, s.New.Hash, s.New.Variant}
}

// Row is the result of a comparison for one benchmark and unit.
type Row struct {
	Pkg  string `json:"pkg"`
	Name string `json:"name"`
	Unit string `json:"unit"`
	// LogRatio is ln(new/old). Lo and Hi are its 95% interval. All are 0 for
	// the same code.
	LogRatio float64 `json:"logRatio"`
	Lo       float64 `json:"lo"`
	Hi       float64 `json:"hi"`
	// SE is the standard error of LogRatio.
	SE      float64 `json:"se,omitempty"`
	P       float64 `json:"p,omitempty"`
	Blocks  int     `json:"blocks"`
	Verdict string  `json:"verdict"`
	// SameCode is set if both variants run the same machine code: the ratio is 1 by
	// logic, not by measurement.
	SameCode bool `json:"sameCode,omitempty"`
}

// Key identifies a series of levels.
type Key struct{ Pkg, Name, Unit string }

// Key of the row.
func (r Row) Key() Key { return Key{r.Pkg, r.Name, r.Unit} }

// Decision is the outcome of a fresh measurement of a candidate.
type Decision struct {
	Created time.Time `json:"created"`
	Commit  string    `json:"commit"`
	Pkg     string    `json:"pkg"`
	Name    string    `json:"name"`
	Unit    string    `json:"unit"`
	// LogRatio compares the commit with its parent, Lo and Hi are its interval
	// at 1 - Level.
	LogRatio float64 `json:"logRatio"`
	Lo       float64 `json:"lo"`
	Hi       float64 `json:"hi"`
	// P is the p-value, Level the level that [online] gave the test.
	P     float64 `json:"p"`
	Level float64 `json:"level"`
	Found bool    `json:"found"`
	// Undecided is set if the measurement showed neither a change nor the
	// absence of one. The candidate is tried again, with fresh data. The test
	// still counts in [online].
	Undecided bool `json:"undecided,omitempty"`
}

// Key of the decision.
func (d Decision) Key() Key { return Key{d.Pkg, d.Name, d.Unit} }

// Entry is a file of the store. One of its fields is set.
type Entry struct {
	Schema   int       `json:"schema"`
	Study    *Study    `json:"study,omitempty"`
	Decision *Decision `json:"decision,omitempty"`
}

func encode(e Entry) ([]byte, error) {
	e.Schema = schema
	result.Possible(&e)
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("encode history entry: %w", err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(e); err != nil {
		return nil, fmt.Errorf("encode history entry: %w", err)
	}
	return b.Bytes(), nil
}

func decode(data []byte) (Entry, error) {
	var e Entry
	err := json.Unmarshal(data, &e)
	if err != nil || e.Schema != schema {
		// Check the version first, so that it is the reason for any other version.
		var head struct {
			Schema int `json:"schema"`
		}
		herr := json.Unmarshal(data, &head)
		if kind := new(json.UnmarshalTypeError); errors.As(herr, &kind) || herr == nil && head.Schema == 0 {
			return Entry{}, errors.New("decode history entry: the file is JSON, but not an entry of a history")
		}
		if herr != nil {
			return Entry{}, fmt.Errorf("decode history entry: %w", herr)
		}
		if head.Schema != schema {
			return Entry{}, fmt.Errorf("decode history entry: schema %d is not %d: update tare to read it", head.Schema, schema)
		}
		return Entry{}, fmt.Errorf("decode history entry: %w", err)
	}
	if err := e.check(); err != nil {
		return Entry{}, fmt.Errorf("decode history entry: %w", err)
	}
	return e, nil
}

func (e Entry) check() error {
	if (e.Study == nil) == (e.Decision == nil) {
		return errors.New("it has neither one study nor one decision: tare compare -record OLD NEW measures commits again")
	}
	if e.Study != nil {
		return e.Study.check()
	}
	d := e.Decision
	if d.Commit == "" || d.Name == "" || d.Unit == "" || !(d.P >= 0 && d.P <= 1) {
		return fmt.Errorf("a decision without commit, benchmark, unit or p-value")
	}
	for _, v := range []float64{d.LogRatio, d.Lo, d.Hi} {
		if !isLogRatio(v) {
			return fmt.Errorf("%s: log ratio %v is not a change", d.Name, v)
		}
	}
	if d.Found && d.Undecided {
		return fmt.Errorf("%s: a decision cannot be both undecided and found", d.Name)
	}
	return nil
}

func isLogRatio(v float64) bool { return math.Abs(v) <= 50 }

// isHash reports whether text is a hash of a commit, or empty for a working
// tree. Hashes become part of links and of arguments of git.
func isHash(text string) bool {
	return len(text) <= 64 && strings.Trim(text, "0123456789abcdef") == ""
}

func (s Study) check() error {
	for _, c := range []Commit{s.Old, s.New} {
		if !isHash(c.Hash) {
			return fmt.Errorf("%.40q is not a hash of a commit", c.Hash)
		}
	}
	if s.Old.Hash == s.New.Hash && s.Old.Variant == s.New.Variant && s.Old.Hash != "" {
		return fmt.Errorf("both variants are commit %.12s", s.Old.Hash)
	}
	seen := make(map[Key]bool)
	for _, r := range s.Rows {
		if r.Name == "" || r.Unit == "" {
			return fmt.Errorf("a row without name or unit")
		}
		if seen[r.Key()] {
			return fmt.Errorf("%s has two rows for %s", r.Name, r.Unit)
		}
		seen[r.Key()] = true
		for _, v := range []float64{r.LogRatio, r.Lo, r.Hi} {
			if !isLogRatio(v) {
				return fmt.Errorf("%s: log ratio %v is not a change", r.Name, v)
			}
		}
		if !(r.SE >= 0 && r.SE <= 50) {
			return fmt.Errorf("%s: %v is not a standard error", r.Name, r.SE)
		}
		if r.Lo > r.LogRatio || r.Hi < r.LogRatio {
			return fmt.Errorf("%s: the interval %g to %g does not contain the estimate %g", r.Name, r.Lo, r.Hi, r.LogRatio)
		}
	}
	return nil
}

func newFileName(created time.Time) string {
	var b [6]byte
	rand.Read(b[:]) // never fails
	return created.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:]) + ".json"
}
