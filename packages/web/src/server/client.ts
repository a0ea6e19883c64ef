// The one client and the one line to the server that served this page. The cookie of the login says who we are.
import { createClient } from '@toolyard/sdk';

export const client = createClient({ baseUrl: location.origin, via: 'web' });
export const socket = client.socket();
