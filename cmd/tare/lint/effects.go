package lint

import (
	"go/types"
	"strconv"
	"strings"
)

// effectTable lists effects of functions of the standard library. A line is an
// effect and the functions that have it, by full name. PKG.* are all functions
// of a package, and !NAME excludes one.
//
//	sorts     orders its first argument in place
//	drains:N  reads its argument N to the end
//	sized:N   does work in proportion to its argument N
//	ends      makes a reader that has an end
//	slow      takes milliseconds
//	quick     takes nanoseconds on small inputs
//	folded    is small arithmetic or an instruction
//
// The others are noise in a timed loop: random, clock, sleep, collect, print.
const effectTable = `
sorts sort.Ints sort.Strings sort.Float64s sort.Sort sort.Stable sort.Slice sort.SliceStable slices.Sort slices.SortFunc slices.SortStableFunc
drains:0 io.ReadAll io/ioutil.ReadAll encoding/json.NewDecoder encoding/xml.NewDecoder encoding/gob.NewDecoder encoding/csv.NewReader bufio.NewScanner
drains:0 compress/gzip.NewReader compress/zlib.NewReader compress/flate.NewReader image.Decode image/png.Decode image/jpeg.Decode image/gif.Decode
drains:1 io.Copy io.CopyBuffer
sized:0 math/rand.Perm (*math/rand.Rand).Perm math/rand/v2.Perm (*math/rand/v2.Rand).Perm
sized:1 strings.Repeat bytes.Repeat slices.Repeat
ends strings.NewReader bytes.NewReader bytes.NewBuffer bytes.NewBufferString

slow (*os/exec.Cmd).Run (*os/exec.Cmd).Output (*os/exec.Cmd).CombinedOutput crypto/rsa.GenerateKey crypto/dsa.GenerateParameters time.Sleep
quick math.* math/bits.* math/rand.* math/rand/v2.* strconv.* strings.* bytes.* unicode.* unicode/utf8.* sort.* slices.* maps.*
quick sync.* sync/atomic.* hash/maphash.* encoding/binary.* time.* testing.*
folded math/bits.* !math/bits.Div !math/bits.Div32 !math/bits.Div64 !math/bits.Rem !math/bits.Rem32 !math/bits.Rem64
folded math.Abs math.Sqrt math.Copysign math.Float64bits math.Float32bits math.Float64frombits math.Float32frombits math.IsNaN math.IsInf
folded math.Signbit math.NaN math.Inf unicode/utf8.RuneLen unicode/utf8.ValidRune unicode/utf8.RuneStart cmp.Less
folded (time.Duration).Seconds (time.Duration).Minutes (time.Duration).Hours (time.Duration).Milliseconds (time.Duration).Microseconds (time.Duration).Nanoseconds
random crypto/rand.* math/rand.* math/rand/v2.* !math/rand.New !math/rand.NewSource !math/rand.NewZipf !math/rand.Seed !(*math/rand.Rand).Seed
random !math/rand/v2.New !math/rand/v2.NewPCG !math/rand/v2.NewChaCha8 !math/rand/v2.NewZipf
clock time.Now time.Since time.Until
sleep time.Sleep
collect runtime.GC runtime/debug.FreeOSMemory
print fmt.Print fmt.Printf fmt.Println log.Print log.Printf log.Println log.Output
`

// effects are the functions by effect, each with the number of its argument.
var effects = func() map[string]map[string]int {
	all := make(map[string]map[string]int)
	for line := range strings.Lines(effectTable) {
		names := strings.Fields(line)
		if len(names) == 0 {
			continue
		}
		kind, argument, _ := strings.Cut(names[0], ":")
		if all[kind] == nil {
			all[kind] = make(map[string]int)
		}
		n, _ := strconv.Atoi(argument) // 0 without one
		for _, name := range names[1:] {
			all[kind][name] = n
		}
	}
	return all
}()

func does(fn *types.Func, kind string) bool { return argumentOf(fn, kind) >= 0 }

// argumentOf returns the number of the argument that an effect of a function
// concerns, or -1 without this effect.
func argumentOf(fn *types.Func, kind string) int {
	if fn == nil || fn.Pkg() == nil {
		return -1
	}
	name := fn.Origin().FullName()
	if _, excepted := effects[kind]["!"+name]; excepted {
		return -1
	}
	for _, key := range []string{name, fn.Pkg().Path() + ".*"} {
		if n, ok := effects[kind][key]; ok {
			return n
		}
	}
	return -1
}

// noises are the effects that disturb a timed loop, with their words. If the
// name of a benchmark has such a word, the benchmark measures the effect.
var noises = map[string][]string{
	"random":  nil,
	"clock":   {"now", "clock", "time", "since", "until"},
	"sleep":   {"sleep", "timer", "wait"},
	"collect": {"gc", "garbage", "finalizer", "cleanup", "stw"},
	"print":   nil,
}
