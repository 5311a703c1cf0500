package words

// Nearest returns the word that is nearest to typed, or an empty string if none
// is near enough. Near enough is one edit for every three letters, and at least
// one for a word of two. An edit adds, removes or replaces a letter, or
// exchanges two neighbors.
func Nearest(typed string, words []string) string {
	best, least := "", max(1, len(typed)/3)+1
	if len(typed) < 2 {
		return ""
	}
	for _, w := range words {
		if d := distance(typed, w); d < least {
			best, least = w, d
		}
	}
	return best
}

// Hint proposes the correct word for a mistyped one, after the prefix that is
// typed before it. It is empty if no word is near.
func Hint(typed string, words []string, prefix string) string {
	if near := Nearest(typed, words); near != "" {
		return ": did you mean " + prefix + near + "?"
	}
	return ""
}

// distance is the optimal string alignment distance (Damerau and Levenshtein,
// no substring edited twice).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
