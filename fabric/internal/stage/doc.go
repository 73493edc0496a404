// Package stage holds the parts of switched routers, one for each stage that a packet passes. Each
// part owns its state and refers only to earlier parts (see Stages). Package switched moves packets
// from one part to the next.
package stage
