// Package model declares the public types of a simulated network: parameters, messages, endpoints
// and transports, observations, arbiters, and doors, which are user-defined extensions of routers,
// links and NICs. Package fabric declares aliases for all of them, so its users need not import
// this package.
package model
