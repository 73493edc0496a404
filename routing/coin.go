package routing

// Coin returns the 64 random-looking bits by which a packet's random choices are made. They depend
// only on the seed, the source NIC and the packet's number at that NIC (from 0, over all its
// messages).
func Coin(seed uint64, nic int32, packet uint64) uint64 {
	return mix(mix(mix(seed)^uint64(nic)) ^ packet)
}
