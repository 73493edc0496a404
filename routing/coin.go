package routing

// Coin is the chance of one packet: 64 bits that look random, the same whenever
// seed, source NIC and the number of the packet there (from 0, over all messages of
// the NIC) are the same.
func Coin(seed uint64, nic int32, packet uint64) uint64 {
	return mix(mix(mix(seed)^uint64(nic)) ^ packet)
}
