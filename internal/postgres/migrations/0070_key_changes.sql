-- Processes read a key when it is used, so changes of keys and plans have no numbers.
DROP TRIGGER key_changed ON keys;
DROP TRIGGER key_changed ON accounts;
DROP FUNCTION key_changed();
DROP TABLE key_changes, key_seq;
