import { footfallRoute } from 'footfall/next';

export const { GET, POST } = footfallRoute('https://stats.example.com');
