'use client';
import { useFootfall } from 'footfall/next';

export function SignUp() {
  const footfall = useFootfall();
  return <button onClick={() => footfall('signup', { props: { plan: 'pro' } })}>Sign up</button>;
}
