package history

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Schema is the version of the files written.
const Schema = 1

// Commit names one side of a comparison.
type Commit struct {
	// Hash is the full hash; it is empty for a working tree with changes,
	// which is stored but belongs to no level.
	Hash string `json:"hash"`
	// Time is that of the commit, Subject the first line of its message.
	Time    time.Time `json:"time,omitzero"`
	Subject string    `json:"subject,omitempty"`
	// Variant is what else differs from a plain build, as in "tags=x".
	Variant string `json:"variant,omitempty"`
}

// Study is one comparison: a file of the store.
type Study struct {
	Schema  int       `json:"schema"`
	Created time.Time `json:"created"`
	// Method is the version of the method of measurement, Tool that of tare.
	Method int    `json:"method"`
	Tool   string `json:"tool,omitempty"`
	// Machine identifies the machine: processor, cores, kernel and a hash.
	Machine string `json:"machine"`
	Old     Commit `json:"old"`
	New     Commit `json:"new"`
	Rows    []Row  `json:"rows"`
}

// Row is what a comparison found for one benchmark and unit.
type Row struct {
	Pkg  string `json:"pkg"`
	Name string `json:"name"`
	Unit string `json:"unit"`
	// LogRatio is ln(new/old); Lo and Hi are its 95% interval. They are 0 for
	// the same code.
	LogRatio float64 `json:"logRatio"`
	Lo       float64 `json:"lo"`
	Hi       float64 `json:"hi"`
	P        float64 `json:"p,omitempty"`
	Blocks   int     `json:"blocks"`
	Verdict  string  `json:"verdict"`
	// SameCode is set where both sides run the same machine code: the ratio
	// is 1 by logic, not by measurement.
	SameCode bool `json:"sameCode,omitempty"`
}

// Key identifies a series of levels.
type Key struct{ Pkg, Name, Unit string }

// Key of the row.
func (r Row) Key() Key { return Key{r.Pkg, r.Name, r.Unit} }

// Encode writes a study as a file of the store.
func Encode(s Study) ([]byte, error) {
	s.Schema = Schema
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("encode history study: %w", err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(s); err != nil {
		return nil, fmt.Errorf("encode history study: %w", err)
	}
	return b.Bytes(), nil
}

// Decode reads a file of the store.
func Decode(data []byte) (Study, error) {
	var head struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Study{}, fmt.Errorf("decode history study: %w", err)
	}
	if head.Schema != Schema {
		return Study{}, fmt.Errorf("decode history study: schema %d is not %d: update tare to read it", head.Schema, Schema)
	}
	var s Study
	if err := json.Unmarshal(data, &s); err != nil {
		return Study{}, fmt.Errorf("decode history study: %w", err)
	}
	if err := s.check(); err != nil {
		return Study{}, fmt.Errorf("decode history study: %w", err)
	}
	return s, nil
}

func (s Study) check() error {
	if s.Old.Hash == s.New.Hash && s.Old.Variant == s.New.Variant && s.Old.Hash != "" {
		return fmt.Errorf("both sides are commit %.12s", s.Old.Hash)
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
			if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 50 {
				return fmt.Errorf("%s: log ratio %v is not a change", r.Name, v)
			}
		}
		if r.Lo > r.LogRatio || r.Hi < r.LogRatio {
			return fmt.Errorf("%s: the interval %g to %g leaves out the estimate %g", r.Name, r.Lo, r.Hi, r.LogRatio)
		}
	}
	return nil
}

// FileName is a name that no other study has: its time and random digits.
func FileName(created time.Time) string {
	var b [6]byte
	rand.Read(b[:]) // never fails
	return created.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:]) + ".json"
}
