import { Footfall } from 'footfall/next';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { SignUp } from './sign-up';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <Footfall site="example.com" source="/walk/foot.js" />
        <Link href="/pricing">Pricing</Link>
        {children}
        <SignUp />
      </body>
    </html>
  );
}
