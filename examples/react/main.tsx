import { Footfall, useFootfall } from 'footfall/react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Link, Route, Routes } from 'react-router';

function SignUp() {
  const footfall = useFootfall();
  return <button onClick={() => footfall('signup', { props: { plan: 'pro' } })}>Sign up</button>;
}

createRoot(document.querySelector('main') as HTMLElement).render(
  <BrowserRouter>
    <Footfall site="example.com" source="https://stats.example.com/foot.js" />
    <Link to="/pricing">Pricing</Link>
    <Routes>
      <Route path="/" element={<h1>Home</h1>} />
      <Route path="/pricing" element={<h1>Pricing</h1>} />
    </Routes>
    <SignUp />
  </BrowserRouter>,
);
