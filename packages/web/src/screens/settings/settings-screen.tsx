// What holds on this server, who may use it, and what is wrong with it.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Tabs } from '../../controls/tabs.tsx';
import type { SettingsTab } from '../../navigation/search-params.ts';
import { Screen } from '../../parts/screen.tsx';
import { ConfigTab } from '../configuration/config-tab.tsx';
import { DoctorTab } from './doctor-tab.tsx';
import { GrantsTab } from './grants-tab.tsx';
import { RolesTab } from './roles-tab.tsx';
import { TokensTab } from './tokens-tab.tsx';
import { TrustTab } from './trust-tab.tsx';

export function SettingsScreen() {
  const { tab = 'configuration' } = useSearch({ from: '/settings' });
  const navigate = useNavigate({ from: '/settings' });
  return (
    <Screen title="Settings">
      <Tabs<SettingsTab>
        label="Settings"
        value={tab}
        onChange={(value) => void navigate({ search: { tab: value }, replace: true })}
        tabs={[
          { value: 'configuration', label: 'Configuration', content: <ConfigTab /> },
          { value: 'tokens', label: 'Tokens', content: <TokensTab /> },
          { value: 'grants', label: 'Grants', content: <GrantsTab /> },
          { value: 'trust', label: 'Trust', content: <TrustTab /> },
          { value: 'roles', label: 'Roles', content: <RolesTab /> },
          { value: 'doctor', label: 'Doctor', content: <DoctorTab /> },
        ]}
      />
    </Screen>
  );
}
