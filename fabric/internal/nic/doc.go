// Package nic simulates NICs and hosts: messages from memory to the network, packets from the network
// to memory, turns among messages, pauses between packets, and I/O buses that NICs share. It does not
// know which routers the NICs are connected to.
package nic
