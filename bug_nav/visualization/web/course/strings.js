// Copyright 2026 The bug_nav authors
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

/** Translations of the controls and verdicts; texts without one stay English. */

const GERMAN = {
  'Play': 'Abspielen',
  'Pause': 'Anhalten',
  'Position on the path': 'Stelle auf dem Weg',
  'Change the local direction': 'Drehrichtung ändern',
  'Works while `bug_nav play` runs on this computer':
    'Funktioniert, solange `bug_nav play` auf diesem Rechner läuft',
  'Open in the playground (needs bug_nav play)': 'Im Spielplatz öffnen (braucht bug_nav play)',
  'One step back': 'Ein Schritt zurück',
  'One step forward': 'Ein Schritt vor',
  'Reset the scene': 'Szene zurücksetzen',
  'left': 'links',
  'right': 'rechts',
  'Local direction: {0}': 'Drehrichtung: {0}',
  'Robot radius': 'Radius des Roboters',
  'Sensor range': 'Reichweite des Sensors',
  'Range noise': 'Rauschen der Abstände',
  'Drift': 'Drift',
  'Close the door': 'Tür schließen',
  'Open the door': 'Tür öffnen',
  'Undo': 'Rückgängig',
  'New wall': 'Neue Wand',
  'New corner': 'Neue Ecke',
  'Remove': 'Entfernen',
  'Select a corner first.': 'Erst eine Ecke auswählen.',
  '{0} ({1} key)': '{0} (Taste {1})',
  'Show the path of {0}': 'Weg von {0} zeigen',
  '{0} of {1}': '{0} von {1}',
  'Blocked by a person: no proof': 'Von einer Person versperrt: kein Beweis',
  'Goal reached': 'Ziel erreicht',
  'Goal proven unreachable': 'Ziel bewiesen unerreichbar',
  'Not proven: a defect of this diagram': 'Nicht bewiesen: ein Fehler dieses Diagramms',
  'Believes a wrong proof': 'Glaubt einen falschen Beweis',
  'Believes to be at the goal': 'Glaubt, am Ziel zu sein',
  'Endless loop': 'Endlosschleife',
  'Stopped: too many steps': 'Abgebrochen: zu viele Schritte',
  'Differences from the papers': 'Unterschiede zu den Veröffentlichungen',
  'Check my prediction': 'Vorhersage prüfen',
  'Copy the hand-in code': 'Abgabecode kopieren',
  'Copied': 'Kopiert',
  'Copying is not allowed here': 'Kopieren ist hier nicht erlaubt',
  'New scene': 'Neue Szene',
  'Hint': 'Hinweis',
  'Solved. {0}': 'Gelöst. {0}',
  'solved': 'gelöst',
  'open': 'offen',
  '{0} of {1} exercises solved in this browser.':
    '{0} von {1} Aufgaben in diesem Browser gelöst.',
  'Reset my progress': 'Fortschritt zurücksetzen',
  'Up': 'Hoch',
  'Down': 'Runter',
  'New game': 'Neues Spiel',
};

/** Translations by language and English text. */
const TRANSLATIONS = {de: GERMAN};

const WANTED_LANGUAGE = (new URLSearchParams(location.search).get('lang')
  || document.documentElement.lang || 'en').toLowerCase().split('-')[0];

/** Language of the controls: `?lang=de` in the address, or the `lang` of the page, or English. */
export const LANGUAGE = Object.hasOwn(TRANSLATIONS, WANTED_LANGUAGE) ? WANTED_LANGUAGE : 'en';

/** Return a text in the language of the controls, with values in the places of {0} and {1}. */
export function tr(text, ...values) {
  return (TRANSLATIONS[LANGUAGE]?.[text] ?? text)
    .replace(/\{(\d)\}/g, (_, number) => values[number]);
}
