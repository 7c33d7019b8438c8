package account

// BelieveAll has a service start whatever fits into the balance that it knows, as if no
// other process spent of it: the naive twin of what it does.
func (s *Service) BelieveAll() { s.known.share = 1 }
