// Package model declares what a simulated network is made of for those who use it: parameters,
// messages, endpoints and transports, doors, observations and arbiters. Package fabric names all of it
// again, and its users need not import this package.
package model
