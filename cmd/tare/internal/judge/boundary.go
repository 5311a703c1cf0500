package judge

import (
	"math"
	"slices"
)

// Coarse is the least error rate for which a share of the sign vectors is
// exact enough. It is then 205 of them.
const Coarse = 0.01

// trial is a study under the hypothesis that its signs are random. It has the
// ranks at every look, and the rank sums of the sign vectors.
type trial struct {
	looks []trialLook
	signs *signs
}

type trialLook struct {
	look  Look
	ranks []int32 // doubled
	// tails is the exact two-sided probability of every min(W⁺, W⁻). sums are
	// the sums of the sign vectors. Both are computed on first use.
	tails []float64
	sums  []int32
	// counts is the number of vectors with each sum.
	counts []int32
}

func newTrial(seed uint64, looks []Look) *trial {
	t := &trial{signs: newSigns(seed, len(looks[len(looks)-1].Center))}
	for _, l := range looks {
		t.looks = append(t.looks, trialLook{look: l, ranks: l.ranks(doubledRanks)})
	}
	return t
}

func (t *trial) tails(k int) []float64 {
	l := &t.looks[k]
	if l.tails == nil {
		l.tails = twoSided(l.ranks)
	}
	return l.tails
}

func (t *trial) sums(k int) []int32 {
	l := &t.looks[k]
	if l.sums == nil {
		l.sums = t.signs.fill(l.ranks, l.look.Center)
		n := len(l.look.Center)
		l.counts = make([]int32, n*(n+1)/2+1)
		for _, w := range l.sums {
			l.counts[w]++
		}
	}
	return l.sums
}

// boundary returns the critical values of the looks in doubled ranks, or -1
// for a look that cannot cross. It also returns the probability that the
// study crossed before each look. spend is the cumulative error rate allowed.
//
// Here zeros keep their rank and flip like other values. The interval
// considers centers other than 0, for which a zero has a sign.
func (t *trial) boundary(spend []float64) (critical []int32, before []float64) {
	if spend[len(spend)-1] >= Coarse {
		return t.sampled(spend)
	}
	return t.summed(spend)
}

func (t *trial) sampled(spend []float64) (critical []int32, before []float64) {
	crossed := make([]bool, vectors)
	var list []int32 // the vectors that crossed, a few in a hundred
	spent := 0
	for k := range t.looks {
		before = append(before, float64(spent)/vectors)
		sums := t.sums(k)
		occurs := t.looks[k].counts
		fresh := slices.Clone(occurs)
		for _, v := range list {
			fresh[sums[v]]--
		}
		allowed := int(math.Floor(spend[k]*vectors + 1e-9))
		c := int32(-1)
		for w, count := range fresh {
			if spent+int(count) > allowed {
				break
			}
			spent += int(count)
			// Take a value that occurs, not the gap after it. A value that only vectors
			// with an earlier crossing have costs nothing.
			if occurs[w] > 0 {
				c = int32(w)
			}
		}
		for v, w := range sums {
			if w <= c && !crossed[v] {
				crossed[v] = true
				list = append(list, int32(v))
			}
		}
		critical = append(critical, c)
	}
	return critical, before
}

// summed adds the exact probabilities of the looks. The sum is an upper bound
// on the probability that any of them crosses. Later looks may spend what a
// look leaves.
func (t *trial) summed(spend []float64) (critical []int32, before []float64) {
	spent := 0.0
	for k := range t.looks {
		before = append(before, spent)
		tails := t.tails(k)
		c, attained, free := int32(-1), 0.0, 0.0
		if t.crossedAlike(k, critical) {
			// At that earlier look these units had one sign too.
			free = unanimous(len(t.looks[k].look.Center))
			c, attained = 0, free
		}
		left := spend[k] - spent + free
		// Find the largest sum whose tail is allowed. Equal tails are gaps, and the
		// first of them is the value that occurs.
		for w, tail := range tails {
			if tail > left*(1+1e-12) {
				break
			}
			if tail > attained {
				c, attained = int32(w), tail
			}
		}
		spent += max(0, attained-free)
		critical = append(critical, c)
	}
	return critical, before
}

// crossedAlike reports whether an earlier look could cross and its units have the
// same values at look k. The mean of several blocks changes from look to look.
func (t *trial) crossedAlike(k int, critical []int32) bool {
	for j, c := range critical {
		if early := t.looks[j].look.Center; c >= 0 && slices.Equal(early, t.looks[k].look.Center[:len(early)]) {
			return true
		}
	}
	return false
}

// p is the p-value of look k if no look before it crossed. It is the
// probability of an earlier crossing or of a sum this small now (the stagewise
// ordering; Armitage 1957, Fairbanks and Madsen 1982). Zeros are ranked and
// then removed (Pratt 1959).
func (t *trial) p(k int, critical []int32, before []float64) float64 {
	l := t.looks[k]
	ranks, tails := l.ranks, []float64(nil)
	zeros := slices.Contains(l.look.Center, 0)
	if zeros {
		ranks = l.look.ranks(prattRanks)
		tails = twoSided(ranks)
	} else {
		tails = t.tails(k)
	}
	observed := minSum(ranks, l.look.Center)
	now := tails[observed]
	least, most := max(before[k], now), min(1, before[k]+now)
	if before[k] == 0 || most < Coarse || t.looks[0].sums == nil {
		return most
	}
	sums := t.sums(k)
	if zeros {
		sums = t.signs.fill(ranks, l.look.Center)
	}
	count := 1
	for v, w := range sums {
		crossed := w <= observed
		for j := 0; j < k && !crossed; j++ {
			crossed = t.sums(j)[v] <= critical[j]
		}
		if crossed {
			count++
		}
	}
	return min(max(float64(count)/(vectors+1), least), most)
}

func minSum(ranks []int32, z []float64) int32 {
	plus, minus := int32(0), int32(0)
	for i, r := range ranks {
		if z[i] > 0 {
			plus += r
		} else {
			minus += r
		}
	}
	return min(plus, minus)
}
