// Package bisection finds, on the machine, which step of a series of variants
// changed a benchmark: it measures for the search of package bisect through
// sessions, one for each question.
//
//	axis → Run: compare the ends → pick the benchmark → search → Result
//
// Every answer is appended to bisect.jsonl in the folder of the bisection
// before the next question is asked, so that an interrupted search is resumed
// by asking the same questions of the file first. log.sh has the commands that
// repeat each of them.
package bisection
