/** Version of everything that an index folder holds. Goes up with any change that older releases cannot read. */
export const FORMAT_VERSION = 3;
