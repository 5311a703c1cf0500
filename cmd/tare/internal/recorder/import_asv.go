package recorder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/history"
)

// asvResults is a file of results of airspeed velocity, in its version 1 or 2:
// one commit on one machine in one environment.
type asvResults struct {
	Commit  string          `json:"commit_hash"`
	Date    int64           `json:"date"` // of the commit, in ms
	Env     string          `json:"env_name"`
	Params  json.RawMessage `json:"params"`
	Columns []string        `json:"result_columns"`
	// Results are, by benchmark, values of the columns; in version 1 a number,
	// or an object.
	Results map[string]json.RawMessage `json:"results"`
}

// asvResult is what is read of one benchmark: a value for each combination of
// its parameters, the last one varying fastest.
type asvResult struct {
	values []*float64
	params [][]string
	lo, hi []*float64
	n      []*float64
}

// asvBenchmark is what benchmarks.json says about a benchmark.
type asvBenchmark struct {
	Unit  string   `json:"unit"`
	Names []string `json:"param_names"`
}

// asvPoints reads a file of asv; is reports whether it is one.
func asvPoints(path string, data []byte) (list []history.Points, is bool, why string) {
	switch filepath.Base(path) {
	case "benchmarks.json", "machine.json": // read with the results
		return nil, true, ""
	}
	var r asvResults
	if json.Unmarshal(withoutNaN(data), &r) != nil || r.Commit == "" {
		return nil, false, ""
	}
	if r.Results == nil {
		return nil, true, "no results"
	}
	units := asvBenchmarks(path)
	p := history.Points{Source: "asv", Machine: r.machine(path), Commit: history.Commit{Hash: r.Commit}}
	if r.Date > 0 {
		p.Commit.Time = time.UnixMilli(r.Date).UTC()
	}
	var unread []string
	for _, name := range slices.Sorted(maps.Keys(r.Results)) {
		one, err := r.read(r.Results[name])
		if err != nil {
			unread = append(unread, name)
			continue
		}
		p.Values = append(p.Values, one.points(name, units[name])...)
	}
	p.Values = distinct(p.Values)
	if len(unread) > 0 {
		why = fmt.Sprintf("not in a known form: %s", strings.Join(unread, ", "))
	}
	if len(p.Values) == 0 {
		return nil, true, cmp.Or(why, "no results")
	}
	return []history.Points{p}, true, why
}

// machine names where the results were taken: the machine, and the environment,
// by which asv names the file too.
func (r asvResults) machine(path string) string {
	var params map[string]any
	_ = json.Unmarshal(r.Params, &params) // no more than a name comes from it
	var parts []string
	for _, key := range []string{"machine", "cpu"} {
		if s, ok := params[key].(string); ok && s != "" {
			parts = append(parts, s)
		}
	}
	env := r.Env
	if env == "" {
		_, env, _ = strings.Cut(strings.TrimSuffix(filepath.Base(path), ".json"), "-")
	}
	if env != "" {
		parts = append(parts, env)
	}
	return cmp.Or(strings.Join(parts, ", "), "unknown")
}

// read reads the results of one benchmark.
func (r asvResults) read(data json.RawMessage) (one asvResult, err error) {
	var number *float64
	if json.Unmarshal(data, &number) == nil {
		one.values = []*float64{number}
		return one, nil
	}
	var v1 struct {
		Result []*float64 `json:"result"`
		Params [][]string `json:"params"`
		Stats  []*struct {
			CI     []*float64 `json:"ci_99"`
			Repeat *float64   `json:"repeat"`
		} `json:"stats"`
	}
	if len(data) > 0 && data[0] == '{' {
		if err := json.Unmarshal(data, &v1); err != nil {
			return one, err
		}
		one.values, one.params = v1.Result, v1.Params
		for _, s := range v1.Stats {
			var lo, hi, n *float64
			if s != nil && len(s.CI) == 2 {
				lo, hi = s.CI[0], s.CI[1]
			}
			if s != nil {
				n = s.Repeat
			}
			one.lo, one.hi, one.n = append(one.lo, lo), append(one.hi, hi), append(one.n, n)
		}
		return one, nil
	}
	var row []json.RawMessage
	if err := json.Unmarshal(data, &row); err != nil {
		return one, err
	}
	column := func(name string, into any) error {
		i := slices.Index(r.Columns, name)
		if i < 0 || i >= len(row) {
			return nil
		}
		return json.Unmarshal(row[i], into)
	}
	for name, into := range map[string]any{"result": &one.values, "params": &one.params,
		"stats_ci_99_a": &one.lo, "stats_ci_99_b": &one.hi, "stats_repeat": &one.n} {
		if err := column(name, into); err != nil {
			return one, err
		}
	}
	return one, nil
}

// points are the values of a benchmark, those of combinations of parameters as
// Go names sub-benchmarks. What failed or was skipped has none.
func (r asvResult) points(name string, known asvBenchmark) (all []history.Value) {
	unit := map[string]string{"": "sec/op", "seconds": "sec/op", "bytes": "B"}[known.Unit]
	unit = cmp.Or(unit, known.Unit)
	at := func(list []*float64, i int) float64 {
		if i < len(list) && list[i] != nil {
			return *list[i]
		}
		return math.NaN()
	}
	for i := range r.values {
		v := history.Value{Name: name + r.suffix(i, known.Names), Unit: unit, Value: at(r.values, i)}
		if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
			continue
		}
		// An interval without an end is one of infinite width.
		if lo, hi := at(r.lo, i), at(r.hi, i); lo <= v.Value && v.Value <= hi && !math.IsInf(hi-lo, 0) {
			v.Lo, v.Hi = lo, hi
		}
		if n := at(r.n, i); n >= 1 && n < math.MaxInt32 {
			v.N = int(n)
		}
		all = append(all, v)
	}
	return all
}

// suffix is the i-th combination of parameters as the name of a sub-benchmark.
func (r asvResult) suffix(i int, names []string) string {
	var parts []string
	for k := len(r.params) - 1; k >= 0; k-- {
		values := r.params[k]
		if len(values) == 0 {
			return fmt.Sprintf("/%d", i)
		}
		name := fmt.Sprintf("param%d", k+1)
		if k < len(names) && names[k] != "" {
			name = names[k]
		}
		value := strings.Trim(values[i%len(values)], "'")
		parts = append(parts, "/"+name+"="+strings.ReplaceAll(value, "/", "_"))
		i /= len(values)
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

// asvBenchmarks reads the benchmarks.json of the results that a file belongs
// to: in the folder above that of the machine.
func asvBenchmarks(path string) map[string]asvBenchmark {
	for _, dir := range []string{filepath.Dir(filepath.Dir(path)), filepath.Dir(path)} {
		data, err := os.ReadFile(filepath.Join(dir, "benchmarks.json"))
		if err != nil {
			continue
		}
		var raw map[string]json.RawMessage // "version" is a number
		if json.Unmarshal(withoutNaN(data), &raw) != nil {
			continue
		}
		all := make(map[string]asvBenchmark)
		for name, text := range raw {
			var b asvBenchmark
			if json.Unmarshal(text, &b) == nil {
				all[name] = b
			}
		}
		return all
	}
	return nil
}

// withoutNaN replaces the numbers that Python writes and JSON does not have,
// outside of strings.
func withoutNaN(data []byte) []byte {
	var out bytes.Buffer
	inside := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case inside && c == '\\' && i+1 < len(data):
			out.WriteByte(c)
			i++
			out.WriteByte(data[i])
			continue
		case c == '"':
			inside = !inside
		case !inside:
			if word := notANumber(data[i:]); word != "" {
				out.WriteString("null")
				i += len(word) - 1
				continue
			}
		}
		out.WriteByte(c)
	}
	return out.Bytes()
}

func notANumber(data []byte) string {
	for _, word := range []string{"NaN", "-Infinity", "Infinity"} {
		if bytes.HasPrefix(data, []byte(word)) {
			return word
		}
	}
	return ""
}
