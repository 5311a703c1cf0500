package history

import "math"

// system is a dense system of weighted least squares: levels, the ground being
// 0, and ratios between them. It is small, as many rows as a history has
// steps.
type system struct {
	n     int
	a     []float64 // n×n: the Laplacian, then its Cholesky factor below
	right []float64
	x     []float64
}

func (s *system) reset(n int) {
	s.n = n
	s.a, s.right, s.x = zeros(s.a, n*n), zeros(s.right, n), zeros(s.x, n)
}

func zeros(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	x = x[:n]
	clear(x)
	return x
}

// join adds the equation level[j] - level[i] = ratio; i is -1 for the ground.
func (s *system) join(i, j int, weight, ratio float64) {
	s.a[j*s.n+j] += weight
	s.right[j] += weight * ratio
	if i >= 0 {
		s.a[i*s.n+i] += weight
		s.a[j*s.n+i] -= weight // i < j: below the diagonal
		s.right[i] -= weight * ratio
	}
}

// factor replaces the matrix by its Cholesky factor.
func (s *system) factor() {
	for j := range s.n {
		row := s.a[j*s.n : j*s.n+j+1]
		for i := range j {
			above := s.a[i*s.n : i*s.n+i+1]
			v := row[i]
			for k := range i {
				v -= row[k] * above[k]
			}
			row[i] = v / above[i]
		}
		v := row[j]
		for k := range j {
			v -= row[k] * row[k]
		}
		row[j] = math.Sqrt(max(v, math.SmallestNonzeroFloat64))
	}
}

// forward solves with the factor in place.
func (s *system) forward(x []float64) {
	for j := range s.n {
		row := s.a[j*s.n : j*s.n+j+1]
		v := x[j]
		for k := range j {
			v -= row[k] * x[k]
		}
		x[j] = v / row[j]
	}
}

// solve returns the levels, valid until the next call.
func (s *system) solve() []float64 {
	copy(s.x, s.right)
	s.forward(s.x)
	for j := s.n - 1; j >= 0; j-- {
		s.x[j] /= s.a[j*s.n+j]
		for k := range j {
			s.x[k] -= s.a[j*s.n+k] * s.x[j]
		}
	}
	return s.x
}

// variance is that of level[i] - level[j]; j is -1 for the ground.
func (s *system) variance(i, j int) float64 {
	clear(s.x)
	s.x[i] = 1
	if j >= 0 {
		s.x[j] = -1
	}
	s.forward(s.x)
	v := 0.0
	for _, y := range s.x {
		v += y * y
	}
	return v
}
