package library_test

import (
	"context"
	"fmt"
	"go/types"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/tarebench/tare"
	"github.com/tarebench/tare/clock"
	"github.com/tarebench/tare/cmd/tare/hdr"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/histogram"
	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
	"github.com/tarebench/tare/plot"
)

// zeros has the zero value of every exported type.
var zeros = []any{
	tare.Benchmark{}, tare.Distribution{}, tare.Lap{}, tare.Latency{}, tare.Span{}, &tare.Stopwatch{}, tare.StopwatchResult{},
	clock.Calibration{}, clock.Cost{}, clock.Rate{},
	finding.Finding{}, finding.Kind{}, finding.Severity(""), finding.Value{},
	histogram.Bin{}, histogram.Histogram{}, histogram.Options{}, histogram.Quantile{}, &histogram.Sharded{}, histogram.TextOptions{}, histogram.View{},
	hdr.Interval{},
	plot.Options{}, plot.Series{},
	stats.RankSum{}, &stats.RankSums{}, stats.Serial{}, &stats.Shifts{},
	unit.Direction(0), unit.Scale{},
}

// functions has every exported function, except Keep and the functions of
// package clock, which take nothing.
var functions = map[string]any{
	"tare.NewBenchmark": tare.NewBenchmark, "tare.NewStopwatch": tare.NewStopwatch,
	"tare.AccurateMean": tare.AccurateMean, "tare.KeepLaps": tare.KeepLaps, "tare.Monotonic": tare.Monotonic, "tare.Precision": tare.Precision,
	"tare.Repeat": tare.Repeat, "tare.Unfenced": tare.Unfenced, "tare.Until": tare.Until,
	"finding.Change": finding.Change, "finding.ChangeIn": finding.ChangeIn, "finding.Count": finding.Count[int], "finding.Number": finding.Number,
	"finding.Quantity": finding.Quantity, "finding.Share": finding.Share, "finding.Text": finding.Text,
	"histogram.FromDurations": histogram.FromDurations, "histogram.New": histogram.New,
	"hdr.ReadLog": hdr.ReadLog, "hdr.ReadPercentiles": hdr.ReadPercentiles, "hdr.WriteLog": hdr.WriteLog, "hdr.WritePercentiles": hdr.WritePercentiles,
	"plot.All": plot.All, "plot.Density": plot.Density, "plot.Distribution": plot.Distribution, "plot.Durations": plot.Durations,
	"plot.Nanos": plot.Nanos, "plot.Percentiles": plot.Percentiles, "plot.RunOrder": plot.RunOrder,
	"stats.Center": stats.Center, "stats.CenterBounds": stats.CenterBounds,
	"stats.Holm": stats.Holm, "stats.LeastForMedian": stats.LeastForMedian, "stats.MAD": stats.MAD,
	"stats.MannWhitney": stats.MannWhitney, "stats.Median": stats.Median, "stats.MedianOrder": stats.MedianOrder,
	"stats.Quantile": stats.Quantile, "stats.SerialCorrelation": stats.SerialCorrelation,
	"stats.SmallestP": stats.SmallestP,
	"unit.Base":       unit.Base, "unit.Better": unit.Better, "unit.ChangeDigits": unit.ChangeDigits, "unit.ParsePercent": unit.ParsePercent,
	"unit.Percent": unit.Percent, "unit.Printed": unit.Printed, "unit.Quantity": unit.Quantity, "unit.Scaling": unit.Scaling, "unit.SignedPercent": unit.SignedPercent,
	"unit.Split": unit.Split,
}

// withTheirComments are methods whose comments describe when they panic.
var withTheirComments = map[string]bool{"tare.Stopwatch.Schedule": true}

// No method of a zero value panics, and no function, for any numbers, strings
// and zero values. The same applies to the methods of values that have been
// used.
func TestNoValuePanics(t *testing.T) {
	t.Parallel()
	values := zeros
	bench := tare.NewBenchmark(100, tare.KeepLaps(10))
	for bench.Next() {
		tare.Keep(1)
	}
	watch := tare.NewStopwatch(1)
	watch.Stop(watch.StartAt(time.Now()))
	sharded, err := histogram.Options{}.NewSharded()
	if err != nil {
		t.Fatal(err)
	}
	sharded.RecordMany(5, 1000)
	d := bench.Distribution()
	values = append(values, bench, d, d.Corrected(), d.Raw(), watch, watch.Result(), watch.Result().Response, sharded, sharded.Merged(),
		sharded.Merged().View(math.MaxFloat64, math.SmallestNonzeroFloat64), histogram.View{})
	for _, value := range values {
		for which := range arguments {
			callMethods(t, value, which)
		}
	}
	for name, f := range functions {
		for which := range arguments {
			callWith(t, name, reflect.ValueOf(f), which)
		}
	}
}

func callMethods(t *testing.T, value any, which int) {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Pointer { // methods of pointers too
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		v = p
	}
	name := strings.TrimPrefix(v.Type().String(), "*")
	for i := range v.NumMethod() {
		if method := name + "." + v.Type().Method(i).Name; !withTheirComments[method] {
			callWith(t, method, v.Method(i), which)
		}
	}
}

// arguments are sets of numbers, with an index for strings.
var arguments = []struct {
	whole int64
	real  float64
	text  string
}{
	{0, 0, ""},
	{1, 0.5, "sec"},
	{100, 0.99, "1.5%"},
	{-1, math.NaN(), "/"},
	{math.MinInt64, math.Inf(-1), "\x00\xff<&%"},
	{math.MaxInt64, math.Inf(1), strings.Repeat("9", 400)},
	{1 << 40, 1e300, "ns/op"},
	{-1 << 40, -1e-300, "-"},
}

func callWith(t *testing.T, name string, f reflect.Value, which int) {
	t.Helper()
	if f.Type().NumIn() == 0 && which > 0 {
		return
	}
	in := make([]reflect.Value, f.Type().NumIn())
	for i := range in {
		in[i] = argument(t, f.Type().In(i), which)
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s%s: panic: %v", name, describe(in), r)
		}
	}()
	call := f.Call
	if f.Type().IsVariadic() {
		call = f.CallSlice
	}
	begin := time.Now()
	call(in)
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("%s%s took %v", name, describe(in), took)
	}
}

func describe(in []reflect.Value) string {
	all := make([]string, len(in))
	for i, v := range in {
		all[i] = fmt.Sprintf("%.60v", v)
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// argument makes a value of the type: for interfaces one of the available
// values, for a struct the zero value.
func argument(t *testing.T, of reflect.Type, which int) reflect.Value {
	a := arguments[which]
	switch {
	case of == reflect.TypeFor[context.Context]():
		c, cancel := context.WithCancel(t.Context())
		cancel()
		return reflect.ValueOf(c)
	case of == reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(io.Discard)
	case of == reflect.TypeFor[io.Reader]():
		return reflect.ValueOf(strings.NewReader(a.text))
	case of == reflect.TypeFor[time.Time]():
		return reflect.ValueOf(time.Unix(a.whole, a.whole))
	}
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Int, reflect.Int64:
		v.SetInt(a.whole)
	case reflect.Uint64:
		v.SetUint(uint64(a.whole))
	case reflect.Float64:
		v.SetFloat(a.real)
	case reflect.String:
		v.SetString(a.text)
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
	case reflect.Func:
		v.Set(reflect.MakeFunc(of, func([]reflect.Value) []reflect.Value {
			out := make([]reflect.Value, of.NumOut())
			for i := range out {
				out[i] = reflect.Zero(of.Out(i))
			}
			return out
		}))
	case reflect.Slice:
		for range which {
			v = reflect.Append(v, argument(t, of.Elem(), which))
		}
	case reflect.Struct:
		for i := range of.NumField() {
			if of.Field(i).IsExported() && of.Field(i).Type.Kind() != reflect.Pointer {
				v.Field(i).Set(argument(t, of.Field(i).Type, which))
			}
		}
	}
	return v
}

// The lists above are complete.
func TestEveryValueIsTried(t *testing.T) {
	t.Parallel() // it waits for the go command
	listed := map[string]bool{}
	for _, v := range zeros {
		listed[strings.TrimPrefix(reflect.TypeOf(v).String(), "*")] = true
	}
	for name := range functions {
		listed[name] = true
	}
	// The zero values of testing panic. Other packages make options and
	// findings.
	for _, name := range []string{"benchmark.B", "benchmark.PB", "benchmark.NewB", "tare.Keep",
		"tare.Option", "tare.LoopOption", "tare.StopwatchOption", "tare.Finding", "tare.Severity", "plot.Save"} {
		listed[name] = true
	}
	patterns := make([]string, len(public))
	for i, dir := range public {
		patterns[i] = root + dir
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadTypes}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range loaded {
		for _, name := range p.Types.Scope().Names() {
			obj := p.Types.Scope().Lookup(name)
			function, isFunction := obj.(*types.Func)
			_, isType := obj.(*types.TypeName)
			if !obj.Exported() || !isFunction && !isType || isFunction && function.Signature().Params().Len() == 0 {
				continue
			}
			if !listed[p.Name+"."+name] {
				t.Errorf("%s.%s is in no list of values_test.go", p.Name, name)
			}
		}
	}
}
