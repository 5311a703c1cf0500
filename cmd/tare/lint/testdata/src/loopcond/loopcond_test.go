package loopcond

import "testing"

func work() {}

func BenchmarkIf(b *testing.B) {
	for {
		if !b.Loop() { // want `b.Loop is not the whole condition of a for loop`
			break
		}
		work()
	}
}

func BenchmarkAnd(b *testing.B) {
	ok := true
	for ok && b.Loop() { // want `b.Loop is not the whole condition of a for loop`
		work()
	}
}

func BenchmarkVariable(b *testing.B) {
	for more := b.Loop(); more; more = b.Loop() { // want `b.Loop is not the whole` `b.Loop is not the whole`
		work()
	}
}

type wrapper struct{ b *testing.B }

func (w wrapper) Loop() bool { return w.b.Loop() } // want `b.Loop is not the whole condition of a for loop`

func BenchmarkWrapper(b *testing.B) {
	w := wrapper{b}
	for w.Loop() { // want `Loop of wrapper hides testing's`
		work()
	}
}

// Near misses.

func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		work()
	}
}

func BenchmarkCounted(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		work()
	}
}

type embeds struct{ *testing.B }

func BenchmarkEmbeds(b *testing.B) {
	e := embeds{b}
	for e.Loop() {
		work()
	}
}

type machine struct{ steps int }

func (m *machine) Loop() bool { m.steps--; return m.steps > 0 }

func BenchmarkOther(b *testing.B) {
	for b.Loop() {
		m := machine{10}
		for m.Loop() {
			work()
		}
	}
}
