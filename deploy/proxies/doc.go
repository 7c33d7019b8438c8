// Package proxies has settings of nginx, HAProxy and Caddy for a server behind them. It has no
// code; its tests run the proxies that the machine has, with these files.
package proxies
