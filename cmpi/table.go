package cmpi

import (
	"fabricast/collective"
)

// algorithm is that of a collective of so many bytes a rank, or a pair in an all-to-all. The thresholds
// are those that Thakur, Rabenseifner and Gropp (International Journal of High
// Performance Computing Applications 19, 2005) found for MPICH.
func (j *Job) algorithm(k collective.Kind, ranks int, bytes int64, commutative bool) collective.Algorithm {
	if a, chosen := j.options.Algorithms[k]; chosen && collective.Check(k, a, ranks) == nil {
		return a
	}
	power := ranks&(ranks-1) == 0
	switch k {
	case collective.KindAllreduce:
		if bytes > 2<<10 {
			return collective.Rabenseifner
		}
	case collective.KindBroadcast:
		if bytes >= 12<<10 && ranks >= 8 {
			return collective.ScatterAllgather
		}
	case collective.KindAllgather:
		switch total := bytes * int64(ranks); {
		case total < 512<<10 && power:
			return collective.RecursiveDoubling
		case total >= 80<<10:
			return collective.Ring
		}
	case collective.KindAlltoall:
		if bytes <= 256 && ranks >= 8 {
			return collective.Bruck
		}
		if power {
			return collective.Pairwise
		}
		return collective.Ring
	case collective.KindReduceScatter:
		if !commutative {
			return collective.Default
		}
	}
	return collective.Default
}
