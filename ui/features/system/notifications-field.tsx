import { useState } from 'react';
import { Button } from '../../components/button.js';
import { SwitchField } from '../../components/field.js';
import styles from './doctor-panel.module.css';

type Permission = NotificationPermission | 'none';

const permissionNow = (): Permission => (typeof Notification === 'undefined' ? 'none' : Notification.permission);

/** Returns why this browser shows no notifications; undefined when it can. */
function getBlockedReason(permission: Permission): string | undefined {
  switch (permission) {
    case 'none':
      return 'This browser does not support notifications.';
    case 'denied':
      return `This browser blocks them for ${window.location.host}: allow them in the site settings first.`;
    case 'default':
      return 'Not requested from this browser yet.';
    case 'granted':
      return undefined;
  }
}

/** The choice whether the browser notifies the operator. Only a click here requests the browser's permission. */
export function NotificationsField({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  const [permission, setPermission] = useState(permissionNow);
  const [wasRefused, setWasRefused] = useState(false);
  const ask = async (): Promise<Permission> => {
    const answer = permissionNow() === 'default' ? await Notification.requestPermission() : permissionNow();
    setPermission(answer);
    setWasRefused(answer !== 'granted');
    return answer;
  };
  const turn = async (toOn: boolean) => {
    if (!toOn || (await ask()) === 'granted') onChange(toOn);
  };
  const words = isOn || wasRefused ? getBlockedReason(permission) : undefined;
  return (
    <div>
      <SwitchField label="Browser notifications" isOn={isOn} onChange={(toOn) => void turn(toOn)} />
      <p className="small quiet">
        When something needs you or a request failed while no page of this project is visible. They contain the member’s
        name and no caller text.
      </p>
      <p className={styles.hindrance} role="status">
        {words}
        {isOn && permission === 'default' && (
          <Button isSmall onClick={() => void ask()}>
            Request permission
          </Button>
        )}
      </p>
    </div>
  );
}
