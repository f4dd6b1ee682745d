/** What the captain of a ship does in the morning, by language. */
export const SAMPLES: Readonly<Record<string, string>> = {
  chinese: '我们的船在早上离开港口，风从北方来。潮水表说明了每天的水位，船长应当先看它再决定是否出海。',
  traditional: '我們的船在早上離開港口，風從北方來。潮水表說明了每天的水位，船長應當先看它再決定是否出海。',
  japanese: '私たちの船は朝に港を出ました。風は北から吹いています。潮の表を見てから出発してください。',
  korean: '우리 배는 아침에 항구를 떠났습니다. 바람은 북쪽에서 불어옵니다. 물때표를 보고 나서 출발하십시오.',
  russian:
    'Наш корабль вышел из порта утром. Ветер дует с севера, и капитан сначала смотрит таблицу приливов.',
  polish:
    'Nasz statek wypłynął z portu rano. Wiatr wieje z północy, więc kapitan najpierw ogląda tabelę pływów. Później żeglarze będą mogli zająć się resztą zadań.',
  greek: 'Το πλοίο μας έφυγε από το λιμάνι νωρίς το πρωί και ο άνεμος φυσάει από τον βορρά προς τα νησιά.',
  hebrew: 'הספינה שלנו יצאה מהנמל מוקדם בבוקר והרוח נושבת מצפון. הקברניט בודק את לוח הגאות.',
  arabic: 'غادرت سفينتنا الميناء في الصباح الباكر والريح تهب من الشمال. ينظر القبطان أولا إلى جدول المد.',
  thai: 'เรือของเราออกจากท่าเรือแต่เช้าและลมพัดมาจากทิศเหนือ กัปตันดูตารางน้ำขึ้นน้ำลงก่อน',
  german:
    'Unser Schiff verließ früh den Hafen. Der Wind weht aus Norden, und der Kapitän prüft zunächst die Höhe der Flut für den nächsten Tag. Später dürfen alle Matrosen schlafen.',
  french:
    'Notre bateau a quitté le port très tôt. Le vent souffle du nord, et le capitaine vérifie d’abord la marée prévue à l’entrée. L’équipage s’est déjà préparé à naviguer.',
};

/** Bytes of a text in an encoding, by looking up what the decoder makes of each byte and pair of bytes. */
export function encode(text: string, encoding: string): Buffer {
  const table = tables.get(encoding) ?? tableOf(encoding);
  tables.set(encoding, table);
  return Buffer.from([...text].flatMap((character) => table.get(character) ?? [0x3f]));
}

const tables = new Map<string, Map<string, number[]>>();

function tableOf(encoding: string): Map<string, number[]> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const table = new Map<string, number[]>();
  const learn = (bytes: number[]) => {
    try {
      const character = decoder.decode(Uint8Array.from(bytes));
      if ([...character].length === 1 && !table.has(character)) table.set(character, bytes);
    } catch {
      // No character.
    }
  };
  for (let byte = 0; byte < 256; byte++) learn([byte]);
  if (encoding === 'windows-1252') table.set('’', [0x92]);
  else if (!/^(?:windows|iso|koi8)/.test(encoding)) {
    for (let lead = 0x81; lead < 0xff; lead++)
      for (let trail = 0x40; trail < 0xff; trail++) learn([lead, trail]);
  }
  return table;
}
