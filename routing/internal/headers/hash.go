package headers

// Mix is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Pick returns a choice from 0 to n-1. It is always the same for one flow at one router, and
// independent between routers.
func Pick(flow uint64, at int32, n int) int {
	h := uint32(flow)*0x9e3779b1 + uint32(at)*0x85ebca77
	h = (h ^ h>>15) * 0xc2b2ae3d
	h ^= h >> 13
	return int(uint64(h) * uint64(n) >> 32)
}
