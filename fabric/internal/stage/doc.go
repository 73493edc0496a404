// Package stage holds the parts of switched routers, one for each stage of a packet's way. Each owns
// its state and knows only parts that come before it, see Stages. Package switched takes packets from
// one to the next.
package stage
